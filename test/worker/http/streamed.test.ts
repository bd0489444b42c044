import { describe, expect, it } from "vitest";

import { eventStream, streamed } from "#worker/http/streamed.ts";

/** Yields a word repeatedly, and records when it is stopped. */
function endless(everyMs: number) {
  const state = { count: 0, isLeft: false };
  async function* words(): AsyncGenerator<string> {
    try {
      for (;;) {
        state.count += 1;
        yield "word ";
        await new Promise((resolve) => setTimeout(resolve, everyMs));
      }
    } finally {
      state.isLeft = true;
    }
  }
  return { state, words };
}

describe("a streamed body", () => {
  it("is produced as it is read, and not at all without a reader", async () => {
    const { state, words } = endless(0);
    const response = new Response(streamed(words()));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(state.count).toBe(0);
    const reader = response.body?.getReader();
    await reader?.read();
    expect(state.count).toBeLessThan(3);
    await reader?.cancel();
    expect(state.isLeft).toBe(true);
  });

  it("fails if its source fails, so that a part is not taken for the whole", async () => {
    async function* failing(): AsyncGenerator<string> {
      yield "half";
      throw new Error("R2 is down");
    }
    const response = new Response(streamed(failing()));
    await expect(async () => await response.text()).rejects.toThrow();
  });
});

describe("a stream of events", () => {
  it("ends after its maximum time", async () => {
    const { state, words } = endless(5);
    async function* untilAborted(signal: AbortSignal): AsyncGenerator<string> {
      for await (const word of words()) {
        if (signal.aborted) return;
        yield word;
      }
    }
    const response = eventStream(untilAborted, 50);
    expect(await response.text()).toMatch(/^(word )+$/);
    expect(state.isLeft).toBe(true);
  });

  it("stops its source when the client disconnects", async () => {
    let signalled = false;
    async function* waiting(signal: AbortSignal): AsyncGenerator<string> {
      yield "first";
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
      signalled = true;
    }
    const reader = eventStream(waiting, 60_000).body?.getReader();
    await reader?.read();
    void reader?.read();
    await reader?.cancel();
    expect(signalled).toBe(true);
  });
});
