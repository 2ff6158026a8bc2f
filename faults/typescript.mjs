import { register } from "node:module";

// Runs TypeScript as it stands: `node --import ./faults/typescript.mjs file.ts`. Types are checked by `npm run check`.
register("./typescript-hooks.mjs", import.meta.url);
