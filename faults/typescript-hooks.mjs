import { createHash } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

/** What was translated before: loading the compiler takes longer than most programs that are run so. */
const CACHE = new URL("../node_modules/.cache/nuncio-typescript/", import.meta.url);

/** Sources import each other by the name of what is compiled from them. */
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (error.code !== "ERR_MODULE_NOT_FOUND" || !/^[./].*\.js$/.test(specifier)) throw error;
    return next(specifier.replace(/\.js$/, ".ts"), context);
  }
}

export async function load(url, context, next) {
  if (!url.endsWith(".ts")) return next(url, context);
  const file = fileURLToPath(url);
  return { format: "module", source: await translated(file, await readFile(file, "utf8")), shortCircuit: true };
}

async function translated(file, text) {
  // The path goes into source maps.
  const kept = new URL(`${createHash("sha256").update(`${file}\0${text}`).digest("hex")}.js`, CACHE);
  try {
    return await readFile(kept, "utf8");
  } catch {
    const source = await translate(file, text);
    const draft = new URL(`${kept.href}.${process.pid}`);
    await mkdir(CACHE, { recursive: true });
    await writeFile(draft, source);
    await rename(draft, kept);
    return source;
  }
}

async function translate(file, text) {
  const { default: ts } = await import("typescript");
  return ts.transpileModule(text, {
    fileName: file,
    compilerOptions: {
      module: ts.ModuleKind.ESNext,
      target: ts.ScriptTarget.ES2023,
      verbatimModuleSyntax: true,
      inlineSourceMap: true,
    },
  }).outputText;
}
