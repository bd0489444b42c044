import { stat } from "node:fs/promises";

/** Whether a file or folder exists. False where it cannot be seen. Never throws. */
export function fileExists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
