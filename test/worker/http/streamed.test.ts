import { beforeEach, describe, expect, it } from "vitest";

import { planLimits } from "#domain/plan-limits.ts";
import type { TokenIdentity } from "#worker/db/tokens/find-token-holder.ts";
import { MAX_OF_TOKEN } from "#worker/following/follower-limits.ts";
import { OpenStreams } from "#worker/following/open-streams.ts";
import { eventStream, streamed } from "#worker/http/streamed.ts";
import { ids } from "../../support/worker/account.ts";

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

const clock = { now: () => Date.now() };
const allowed = { clock, isStillAllowed: () => Promise.resolve(true) };

describe("a streamed body", () => {
  it("is produced as it is read, and not at all without a reader", async () => {
    const { state, words } = endless(0);
    const response = new Response(streamed(allowed, words()));
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
    const response = new Response(streamed(allowed, failing()));
    await expect(async () => await response.text()).rejects.toThrow();
  });

  it("fails if its reader is slow, and the token was revoked meanwhile", async () => {
    let now = 0;
    async function* slowlyRead(): AsyncGenerator<string> {
      for (const word of ["one ", "two ", "three "]) {
        yield word;
        now += 5_000;
      }
    }
    const caller = { clock: { now: () => now }, isStillAllowed: () => Promise.resolve(false) };
    const reader = new Response(streamed(caller, slowlyRead())).body?.getReader();
    expect([(await reader?.read())?.done, (await reader?.read())?.done]).toEqual([false, false]);
    await expect(reader?.read()).rejects.toThrow("the token of this download has ended");
  });
});

describe("a stream of events", () => {
  const token: TokenIdentity = {
    id: ids.token(),
    name: "reader",
    scopes: [],
    projectIds: null,
    pausesAt: null,
    expiresAt: Infinity,
    lastUsedAt: null,
    kind: "token",
    createdBy: null,
    authenticatedAt: null,
  };
  const create = () => ({ ...allowed, streams: new OpenStreams(), token, limits: planLimits("") });
  let caller: ReturnType<typeof create>;
  beforeEach(() => {
    caller = create();
  });

  function responseOf(...stream: Parameters<typeof eventStream>): Response {
    const result = eventStream(...stream);
    if (!result.ok) throw new Error(result.refusal.code);
    return result.value.response;
  }

  it("is refused for a token that has the most streams of this isolate, until one ends", async () => {
    async function* words(): AsyncGenerator<string> {
      for (;;) yield "word ";
    }
    const open = async () => {
      const reader = responseOf(caller, words).body?.getReader();
      await reader?.read();
      return reader;
    };
    const readers = [];
    for (let count = 0; count < MAX_OF_TOKEN; count += 1) readers.push(await open());
    expect(eventStream(caller, words)).toMatchObject({ refusal: { code: "too_many_followers" } });
    const other = { ...caller, token: { ...token, id: ids.token() } };
    expect(eventStream(other, words).ok).toBe(true);
    await readers[0]?.cancel();
    expect(eventStream(caller, words).ok).toBe(true);
  });

  it("is not counted longer than it can last if its invocation was killed", () => {
    const streams = new OpenStreams();
    for (let count = 0; count < MAX_OF_TOKEN; count += 1) streams.open(token.id, 1_000);
    expect(streams.isFull(token.id, 999)).toBe(true);
    expect(streams.isFull(token.id, 1_000)).toBe(false);
  });

  it("ends after its maximum time", async () => {
    const { state, words } = endless(5);
    async function* untilAborted(signal: AbortSignal): AsyncGenerator<string> {
      for await (const word of words()) {
        if (signal.aborted) return;
        yield word;
      }
    }
    const response = responseOf(caller, untilAborted, { maxMs: 50 });
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
    const reader = responseOf(caller, waiting).body?.getReader();
    await reader?.read();
    void reader?.read();
    await reader?.cancel();
    expect(signalled).toBe(true);
  });
});
