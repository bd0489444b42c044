/**
 * Takes a chunk of output, which is only valid during the call. A returned promise pauses reading until it resolves.
 */
export type TakeChunk = (chunk: Buffer) => Promise<void> | null;

/** Reads one output stream of a command. */
export type OutputReader = {
  /**
   * Call it when the command has ended. Reads the rest of the command's output, and output of other processes for at
   * most `graceMs`. Time spent waiting for room does not count.
   */
  finish(graceMs: number): Promise<void>;
};
