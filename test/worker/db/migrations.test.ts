import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

it("keep every table and column, because a release migrates the database while the earlier Worker runs", () => {
  const statements = env.TEST_MIGRATIONS.flatMap(({ queries }) => queries);
  expect(statements.filter((statement) => /\b(?:RENAME|DROP)\b/i.test(statement))).toEqual([]);
});
