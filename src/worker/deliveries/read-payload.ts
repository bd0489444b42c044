import type { HookForge } from "#contract/endpoints/hooks/push-decisions.ts";
import { parseJson } from "#contract/parse-json.ts";

/**
 * The JSON of a delivery, which GitHub and Gitea can also send as the field `payload` of a form; null: it has none. A git
 * server sends text.
 */
export function readPayload(forge: HookForge, contentType: string | null, body: Uint8Array): unknown {
  const text = new TextDecoder().decode(body);
  if (forge === "git") return text;
  const isForm = contentType?.toLowerCase().startsWith("application/x-www-form-urlencoded") ?? false;
  return parseJson(isForm ? (new URLSearchParams(text).get("payload") ?? "") : text);
}
