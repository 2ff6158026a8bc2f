import { registerHooks } from "node:module";

/** Loaded before everything else, it makes better-sqlite3 a package that is not there. */
registerHooks({
  resolve(name, context, next) {
    if (/^better-sqlite3(\/|$)/.test(name)) throw new Error(`${name} must not be loaded: Node has SQLite built in`);
    return next(name, context);
  },
});
