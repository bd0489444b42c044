import { vi } from "vitest";

/**
 * Stops the clock, and lets no chance delay the attempts of a webhook. For `beforeEach`.
 * @returns a function that ends both
 */
export function freezeTime(): () => void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  vi.spyOn(Math, "random").mockReturnValue(0);
  return () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  };
}
