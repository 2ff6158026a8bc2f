import { object, text } from "../fields.js";

export const cards = object({ signingKeyFile: text("the path of a file").optional() });
