import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

it("keep every table and column, because a release migrates the database while the earlier Worker runs", () => {
  const statements = env.TEST_MIGRATIONS.flatMap(({ queries }) => queries);
  expect(statements.filter((statement) => /\b(?:RENAME|DROP)\b/i.test(statement))).toEqual([]);
});

it("reserve the domains of projects that an earlier version stored", async () => {
  const migration = env.TEST_MIGRATIONS.find(({ name }) => name.startsWith("0013_"));
  const copy = migration?.queries.find((statement) => statement.includes("INSERT INTO `domains`"));
  await env.DB.exec("CREATE TABLE projects_before (id TEXT, account_id TEXT, domain TEXT)");
  await env.DB.exec("INSERT INTO projects_before VALUES ('proj_1', 'acct_1', 'before.test')");
  await env.DB.prepare(copy?.replace("`projects`", "projects_before") ?? "").run();
  const { results } = await env.DB.prepare("SELECT * FROM domains WHERE project_id = 'proj_1'").all();
  expect(results).toEqual([{ id: "before.test", account_id: "acct_1", project_id: "proj_1" }]);
});

it("copy the detected settings that an earlier version stored", async () => {
  const migration = env.TEST_MIGRATIONS.find(({ name }) => name.startsWith("0003_"));
  const preset = { framework: "vite", build_command: "vite build", output_directory: "dist" };
  await env.DB.exec("CREATE TABLE projects_before (id TEXT, found TEXT)");
  await env.DB.prepare("INSERT INTO projects_before VALUES ('one', ?), ('two', NULL)")
    .bind(JSON.stringify(preset))
    .run();
  for (const statement of migration?.queries ?? [])
    await env.DB.prepare(statement.replaceAll("`projects`", "projects_before")).run();
  const { results } = await env.DB.prepare("SELECT * FROM projects_before ORDER BY id").all();
  expect(results).toEqual([
    { id: "one", found: JSON.stringify(preset), detected: JSON.stringify(preset) },
    { id: "two", found: null, detected: null },
  ]);
});
