/** Where an agent is, without a query, which may be long, or hold what is nobody's business. */
export function placeOf(agentUrl: string): string {
  const { origin, pathname } = new URL(agentUrl);
  return `${origin}${pathname}`.slice(0, 300);
}
