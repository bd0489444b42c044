import { vi } from "vitest";

import { CONDITION_MS } from "./patience.ts";

const { waitFor, waitUntil } = vi;

vi.waitFor = (callback, options = {}) => waitFor(callback, withTimeout(options));
vi.waitUntil = (callback, options = {}) => waitUntil(callback, withTimeout(options));

function withTimeout<Options extends object>(
  options: number | Options,
): number | ({ timeout: number } & Options) {
  return typeof options === "number" ? options : { timeout: CONDITION_MS, ...options };
}
