import { open } from "node:fs/promises";

/** What the beginning of a program says: the path of its loader is there. */
const HEAD_BYTES = 4_096;

/** Which C library the programs of this machine use: Node is one of them. */
export async function readLibc(): Promise<"glibc" | "musl" | null> {
  if (process.platform !== "linux") return null;
  const file = await open(process.execPath);
  try {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(HEAD_BYTES) });
    const head = buffer.toString("latin1", 0, bytesRead);
    if (head.includes("/ld-musl-")) return "musl";
    return head.includes("/ld-linux") ? "glibc" : null;
  } finally {
    await file.close();
  }
}
