/** How a command that has done its part says what comes next. */
export const nextStep = (command: string, purpose: string): string => `next: \`${command}\` ${purpose}`;

/** ` --config FILE` as a shell takes it; empty when none was given. */
export function configOption(file: string | undefined): string {
  if (file === undefined) return "";
  return ` --config ${/^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`}`;
}
