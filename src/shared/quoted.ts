/** What stands in a JSON string as it is: no quotes, backslashes, control characters or surrogates. */
const PLAIN = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** A string as JSON. Most have nothing to escape, which a look tells sooner than the engine has begun to write. */
export const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));
