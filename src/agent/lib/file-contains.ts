import { createReadStream } from "node:fs";

/** Whether a file contains a text, one byte for each character, or cannot be read. */
export async function fileContains(path: string, text: string): Promise<boolean> {
  let end = "";
  try {
    for await (const chunk of createReadStream(path, "latin1")) {
      const part = `${end}${String(chunk)}`;
      if (part.includes(text)) return true;
      end = part.slice(-text.length);
    }
    return false;
  } catch {
    return true;
  }
}
