/** What a stream brings, twenty times. */
export const PIECE = "piece # of a text that comes little by little, as models write. ";
export const TWENTY = Array.from({ length: 20 }, (_, index) => index);
