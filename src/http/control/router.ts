import { NuncioError } from "../../shared/errors.js";
import type { Operation } from "./operation.js";

interface Route {
  operation: Operation;
  segments: readonly string[];
}

export interface Routed {
  operation: Operation;
  /** The fields that the path gives to the request. */
  params: Record<string, string>;
}

/** Finds the operation of a method and path among a few dozen. */
export function router(operations: readonly Operation[]): (method: string, path: string) => Routed {
  const routes: Route[] = operations.map((operation) => ({ operation, segments: operation.path.split("/") }));
  return (method, path) => {
    const segments = path.split("/");
    const here = routes.filter((route) => params(route.segments, segments) !== null);
    const route = here.find(({ operation }) => operation.method === method);
    if (route !== undefined) {
      return { operation: route.operation, params: params(route.segments, segments) ?? {} };
    }
    if (here.length === 0) throw new NuncioError("not_found", `there is nothing at ${path}`);
    const methods = here.map(({ operation }) => operation.method).join(" or ");
    throw new NuncioError("unsupported", `${path} takes ${methods}, not ${method}`);
  };
}

function params(pattern: readonly string[], segments: readonly string[]): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const found: Record<string, string> = {};
  for (const [i, name] of pattern.entries()) {
    const segment = segments[i] as string;
    if (!name.startsWith(":")) {
      if (name !== segment) return null;
      continue;
    }
    const value = decoded(segment);
    if (value === "") return null;
    found[name.slice(1)] = value;
  }
  return found;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new NuncioError("invalid_argument", "the path is not valid percent-encoding");
  }
}
