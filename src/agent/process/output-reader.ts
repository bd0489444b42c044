/** Takes a piece of output, which is only valid during the call. A promise in return asks for a pause until it resolves. */
export type TakeChunk = (chunk: Buffer) => Promise<void> | null;

/** Reads what a command writes to one of its streams. */
export type OutputReader = {
  /**
   * Call it once the command has ended: resolves when all it wrote is read, and reads what others write to the
   * stream for no longer than the grace. Time spent waiting for room does not count.
   */
  finish(graceMs: number): Promise<void>;
};
