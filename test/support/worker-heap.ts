import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

import { WebSocket } from "ws";
import * as z from "zod";

const EVERY_MS = 100;
const MIB = 1024 * 1024;
const WORKER = "core:user:gantry";

const Targets = z.array(z.object({ id: z.string(), webSocketDebuggerUrl: z.string() }));
const HeapUsage = z.object({ usedSize: z.number(), backingStorageSize: z.number().default(0) });
const Answer = z.object({ id: z.number().optional(), result: z.unknown() });

/** Heap sizes of the Worker's isolate, which its Durable Objects share, in MiB. */
export type HeapUse = {
  /** After garbage collection, before and after the action. */
  readonly before: number;
  readonly after: number;
  /** The highest observed value, including garbage. */
  readonly peak: number;
};

/**
 * Measures the Worker's heap during an action. The memory of the process says less, because it includes the database,
 * the object storage and the assets.
 */
export async function watchWorkerHeap(inspectorPort: number, action: () => Promise<void>): Promise<HeapUse> {
  const heap = await openWorkerHeap(inspectorPort);
  const before = await heap.live();
  let peak = before;
  let hasEnded = false;
  const watching = (async () => {
    for (; !hasEnded; await pause(EVERY_MS)) peak = Math.max(peak, await heap.used());
  })();
  try {
    await action();
  } finally {
    hasEnded = true;
    await watching;
  }
  const after = await heap.live();
  heap.close();
  return { before: Math.round(before), after: Math.round(after), peak: Math.round(peak) };
}

/** The Worker's heap in MiB, after garbage collection. */
export async function liveWorkerHeap(inspectorPort: number): Promise<number> {
  const heap = await openWorkerHeap(inspectorPort);
  try {
    return await heap.live();
  } finally {
    heap.close();
  }
}

/** Reads the heap in MiB: `used` includes garbage, `live` does not. */
async function openWorkerHeap(inspectorPort: number) {
  const inspector = await inspect(inspectorPort);
  const used = async () => {
    const { usedSize, backingStorageSize } = await inspector.call("Runtime.getHeapUsage", HeapUsage);
    return (usedSize + backingStorageSize) / MIB;
  };
  return {
    used,
    async live() {
      await inspector.call("HeapProfiler.collectGarbage", z.unknown());
      return await used();
    },
    close: () => inspector.close(),
  };
}

/** The inspector of the Worker's isolate, which DevTools also uses. Source: the Chrome DevTools Protocol. */
async function inspect(port: number) {
  const listed = await fetch(`http://127.0.0.1:${port}/json`);
  const target = Targets.parse(await listed.json()).find(({ id }) => id === WORKER);
  if (target === undefined) throw new Error(`the inspector does not know ${WORKER}`);
  const socket = new WebSocket(target.webSocketDebuggerUrl);
  await once(socket, "open");
  let lastId = 0;
  return {
    async call<Value>(method: string, schema: z.ZodType<Value>): Promise<Value> {
      const id = (lastId += 1);
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const fail = (): void => reject(new Error(`the inspector closed during ${method}`));
      const take = (data: Buffer): void => {
        const answer = Answer.parse(JSON.parse(data.toString()));
        if (answer.id === id) resolve(answer.result);
      };
      socket.on("message", take).once("close", fail);
      socket.send(JSON.stringify({ id, method }));
      const result = await promise.finally(() => socket.off("message", take).off("close", fail));
      return schema.parse(result);
    },
    close: () => socket.close(),
  };
}
