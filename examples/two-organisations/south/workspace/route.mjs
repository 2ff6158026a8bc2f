/** The stops of a tour, without those that are closed. */
export function route(stops) {
  return stops.filter(({ open }) => open).map(({ name }) => name);
}
