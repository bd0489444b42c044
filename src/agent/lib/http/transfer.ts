import { once } from "node:events";
import { open } from "node:fs/promises";
import * as http from "node:http";
import * as https from "node:https";

import { agentFor, describeError } from "#agent/lib/http/send-request.ts";
import { readBody } from "#agent/lib/http/read-body.ts";

/** A request that sends or gets a file of a known size. */
export type Transfer = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly proxy: URL | null;
  readonly path: string;
  readonly bytes: number;
  /** How long nothing may move before the request fails. */
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** Called with how many more bytes have moved. */
  readonly onBytes: (count: number) => void;
};

/** `done`: the file is there completely. `answered`: with another status. `failed`: nothing is known of the other side. */
export type TransferEnd =
  | { readonly kind: "done" }
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: http.IncomingHttpHeaders;
      readonly body: string;
    }
  | { readonly kind: "failed"; readonly reason: string };

const MAX_PROBLEM = 64 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** Sends a file with PUT, without more of it in memory than a few chunks. @throws the file system's error */
export async function sendFile(transfer: Transfer): Promise<TransferEnd> {
  return await exchange(transfer, "PUT");
}

/** Gets a file with GET, and writes it to `path`. @throws the file system's error */
export async function receiveFile(transfer: Transfer): Promise<TransferEnd> {
  return await exchange(transfer, "GET");
}

/** An error of the file, which is not the network's and would come again. */
class FileError extends Error {
  readonly error: unknown;

  constructor(error: unknown) {
    super("the file failed");
    this.error = error;
  }
}

async function exchange(transfer: Transfer, method: "PUT" | "GET"): Promise<TransferEnd> {
  const { url, proxy, idleMs, bytes } = transfer;
  if (transfer.signal.aborted) return { kind: "failed", reason: "stopped" };
  const isSecure = url.protocol === "https:";
  const request = (isSecure ? https : http).request(url, {
    method,
    agent: agentFor({ url, proxy, timeoutMs: idleMs }),
    headers: { ...transfer.headers, ...(method === "PUT" ? { "content-length": String(bytes) } : {}) },
  });
  const onAbort = (): void => void request.destroy(new Error("stopped"));
  transfer.signal.addEventListener("abort", onAbort, { once: true });
  // Of the socket, so it counts both directions.
  request.setTimeout(idleMs, () => request.destroy(new Error(`nothing has moved for ${idleMs / 1000} s`)));
  const answered = Promise.withResolvers<http.IncomingMessage>();
  request.on("response", answered.resolve);
  request.on("error", answered.reject);
  const answer = new AbortController();
  try {
    // The answer may come before the end of the body, as a refusal does.
    if (method === "GET") request.end();
    else sendBody(request, transfer, answer.signal).catch(answered.reject);
    return await readAnswer(await answered.promise, method, transfer);
  } catch (error) {
    if (error instanceof FileError) throw error.error;
    return { kind: "failed", reason: error instanceof Error ? describeError(error) : String(error) };
  } finally {
    answer.abort();
    transfer.signal.removeEventListener("abort", onAbort);
    // A connection whose request has ended is kept, and another is closed.
    if (!request.writableFinished) request.destroy();
  }
}

/** @param signal ends it without an error, because nobody reads the rest */
async function sendBody(
  request: http.ClientRequest,
  { path, onBytes }: Transfer,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(path).catch(asFileError);
  try {
    for (;;) {
      const { bytesRead, buffer } = await file
        .read({ buffer: Buffer.allocUnsafe(CHUNK_BYTES) })
        .catch(asFileError);
      if (bytesRead === 0) break;
      const hasRoom = request.write(buffer.subarray(0, bytesRead));
      if (!hasRoom && !signal.aborted) await once(request, "drain", { signal });
      onBytes(bytesRead);
    }
    request.end();
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await file.close();
  }
}

async function readAnswer(
  response: http.IncomingMessage,
  method: "PUT" | "GET",
  { path, bytes, onBytes }: Transfer,
): Promise<TransferEnd> {
  const { statusCode: status = 0, headers } = response;
  if (status !== (method === "PUT" ? 204 : 200))
    return { kind: "answered", status, headers, body: await readBody(response, MAX_PROBLEM) };
  if (method === "PUT") {
    response.resume();
    return { kind: "done" };
  }
  const file = await open(path, "w", 0o600).catch(asFileError);
  try {
    let received = 0;
    for await (const chunk of response) {
      if (!Buffer.isBuffer(chunk)) continue;
      received += chunk.length;
      // Never more than was announced, whatever the other side sends.
      if (received > bytes) return { kind: "failed", reason: "it sent more than expected" };
      await file.writeFile(chunk).catch(asFileError);
      onBytes(chunk.length);
    }
    return received === bytes ? { kind: "done" } : { kind: "failed", reason: "it sent less than expected" };
  } finally {
    await file.close();
  }
}

function asFileError(error: unknown): never {
  throw new FileError(error);
}
