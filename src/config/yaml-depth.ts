import type { CST } from "yaml";

/**
 * Whether collections nest too deep. Asked of the tokens, without recursion: the next stage of the parser recurses, and
 * a file of opening brackets does not only overflow its stack, it can bring down the process.
 */
export function nestsDeeperThan(tokens: readonly CST.Token[], limit: number): boolean {
  const stack: [token: CST.Token, depth: number][] = tokens.map((token) => [token, 1]);
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [token, depth] = next;
    if (depth > limit) return true;
    if (token.type === "document") {
      if (token.value) stack.push([token.value, depth]);
    } else if ("items" in token) {
      for (const item of token.items) {
        if (item.key) stack.push([item.key, depth + 1]);
        if (item.value) stack.push([item.value, depth + 1]);
      }
    }
  }
  return false;
}
