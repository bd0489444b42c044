import { env } from "cloudflare:workers";
import { vi } from "vitest";

/** Notes the text of every statement that is prepared for D1, by requests and Durable Objects alike, until mocks are restored. */
export function recordStatements(): string[] {
  const statements: string[] = [];
  const prepare = env.DB.prepare.bind(env.DB);
  vi.spyOn(env.DB, "prepare").mockImplementation((text) => {
    statements.push(text);
    return prepare(text);
  });
  return statements;
}
