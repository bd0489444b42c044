import { stat } from "node:fs/promises";

/** Whether a file or folder exists. False if this user may not see it. Never throws. */
export function fileExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
