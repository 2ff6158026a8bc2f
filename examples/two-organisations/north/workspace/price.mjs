/** Price of a stay: whole nights, in cents. */
export function price(nights, perNight) {
  // TODO: what about half a night?
  return nights * perNight;
}
