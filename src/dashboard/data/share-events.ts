import * as z from "zod/mini";

import type { Followed } from "#client/follow-stream.ts";

/** `open`: a stream has begun, so events will come. `closed`: until the next stream is open, none do. */
const SharedEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("open") }),
  z.object({ type: z.literal("closed") }),
  z.object({ type: z.literal("event"), data: z.string() }),
]);
export type SharedEvent = z.infer<typeof SharedEvent>;

/** What a tab tells the others. `ask`: whether a stream is open. `known`: it is. */
const Message = z.discriminatedUnion("type", [
  ...SharedEvent.def.options,
  z.object({ type: z.literal("ask") }),
  z.object({ type: z.literal("known") }),
]);

export type SharedEvents = {
  /** Of the lock and of the channel. Tabs with the same name share a stream. */
  readonly name: string;
  /** Reads the stream, until the signal is aborted. */
  readonly follow: (
    signal: AbortSignal,
  ) => AsyncGenerator<Followed<{ readonly type: "event"; readonly data: string }>>;
  readonly receive: (event: SharedEvent) => void;
  readonly signal: AbortSignal;
};

/**
 * Follows one stream for several tabs of a browser. Over HTTP/1.1 a browser opens six connections to a host, and streams
 * would use them up. The tab that holds a lock reads the stream and passes its events on. When that tab leaves or crashes,
 * the browser gives the lock to the next one. A browser offers no locks over plain HTTP to another machine; then each tab
 * reads a stream of its own.
 * @returns `aborted`; `refused` if the stream cannot be read
 */
export async function shareEvents(shared: SharedEvents): Promise<"aborted" | "refused"> {
  const { name, signal, receive } = shared;
  if (!("locks" in navigator)) return await readStream(shared, receive);
  const channel = new BroadcastChannel(name);
  let isReader = false;
  let isOpen = false;
  const note = (event: SharedEvent) => {
    isOpen = event.type !== "closed";
    receive(event);
  };
  channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    const message = Message.safeParse(data);
    if (!message.success || signal.aborted) return;
    const { type } = message.data;
    if (type === "ask") {
      if (isReader && isOpen) channel.postMessage({ type: "known" });
    } else if (type === "known") {
      // Another tab may have asked.
      if (!isReader && !isOpen) note({ type: "open" });
    } else if (!isReader) note(message.data);
  });
  channel.postMessage({ type: "ask" });
  try {
    return await navigator.locks.request(name, { signal }, async () => {
      isReader = true;
      const end = await readStream(shared, (event) => {
        channel.postMessage(event);
        note(event);
      });
      channel.postMessage({ type: "closed" });
      return end;
    });
  } catch (error) {
    if (!signal.aborted) throw error;
    return "aborted";
  } finally {
    channel.close();
  }
}

async function readStream(
  { follow, signal }: SharedEvents,
  receive: (event: SharedEvent) => void,
): Promise<"aborted" | "refused"> {
  for await (const event of follow(signal)) {
    if (event.type === "waiting" || event.type === "problem") receive({ type: "closed" });
    else receive(event);
    if (event.type === "problem") return "refused";
  }
  return "aborted";
}
