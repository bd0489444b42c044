/** Refuses a request about a job. @param message cut to what an answer may have */
export function refuseJob<Code extends string>(code: Code, message: string) {
  return { ok: false, code, message: message.slice(0, 2000).toWellFormed() } as const;
}
