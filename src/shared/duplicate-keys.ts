/** Strings and what gives structure; whatever else stands between them does not matter here. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/**
 * Whether an object in this JSON has the same key twice. The standard leaves open which of them counts, so that two
 * programs may read two things in one signed text: who believes what is signed does not take such a text at all.
 *
 * @param json that `JSON.parse` takes
 */
export function hasDuplicateKeys(json: string): boolean {
  /** The keys of each object that is open; null for an array. */
  const open: (Set<string> | null)[] = [];
  let string = "";
  for (const [token] of json.matchAll(TOKEN)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(null);
    else if (token === "}" || token === "]") open.pop();
    else if (token !== ":") string = token;
    else {
      const keys = open.at(-1);
      const key = JSON.parse(string) as string;
      if (keys?.has(key)) return true;
      keys?.add(key);
    }
  }
  return false;
}
