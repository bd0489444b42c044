import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { TestProject } from "../../../support/worker/project.ts";
const patch = (project: TestProject, body: unknown) => project.call("PATCH", project.variablesPath, body);

describe("the variables of a project", () => {
  it("get different revisions from concurrent requests, and lose none of them", async () => {
    const { project } = await TestProject.withKeys();
    const names = Array.from({ length: 6 }, (_, at) => `SECRET_${at}`);
    const answers = await Promise.all(
      names.map((name) => patch(project, { set: [{ name, value: `value-${name}`, secret: true }] })),
    );
    expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
    const { variables, revision } = await project.variables();
    expect(revision).toBe(6);
    expect(variables.map(({ name }) => name)).toEqual(names);
    expect(new Set(variables.map((one) => one.revision)).size).toBe(6);
  });

  it("get new revisions after the database was restored to a day before the last ones", async () => {
    const { project } = await TestProject.withKeys();
    await project.set({ name: "A", value: "1" });
    await project.set({ name: "A", value: "2" });
    const { id } = await project.deploy();
    await env.DB.prepare("DELETE FROM variables").run();
    await env.DB.prepare("DELETE FROM variable_revisions").run();
    expect((await project.deployment(id)).variables_revision).toBe(2);
    expect((await project.set({ name: "A", value: "3" })).revision).toBe(3);
  });

  it("keep the values that a rollback can need, and forget others after 100 revisions", async () => {
    const project = await TestProject.connected();
    await project.set({ name: "USED", value: "0" });
    await project.deploy();
    await project.deploy();
    for (let at = 1; at <= 104; at += 1) await project.set({ name: "USED", value: `${at}` });
    const { results } = await env.DB.prepare("SELECT value FROM variables ORDER BY revision").all();
    const values = results.map(({ value }) => value);
    expect(values.slice(0, 2)).toEqual(["0", "5"]);
    expect(values).toHaveLength(101);
    const kept = await env.DB.prepare("SELECT count(*) AS n FROM variable_revisions").first("n");
    expect(kept).toBe(101);
  });

  it("forget the values of deployments that are too old for a rollback", async () => {
    const project = await TestProject.connected();
    await project.set({ name: "USED", value: "0" });
    const { id } = await project.deploy();
    // Each of these was live for a while, with a revision of its own, and so was the first one. Their ids are newer.
    await env.DB.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 205)
       INSERT INTO deployments (id, account_id, project_id, server_id, version, kind, status, waits_for_server, branch,
         trigger, actor, created_at, release_kept, variables_revision, revision)
       SELECT 'dpl_7' || printf('%025d', i), account_id, project_id, server_id, i + 1, kind, 'superseded', 0, branch,
         trigger, actor, created_at, 1, i, 1 FROM n, deployments WHERE id = ?`,
    )
      .bind(id)
      .run();
    await env.DB.prepare("UPDATE deployments SET status = 'superseded' WHERE id = ?").bind(id).run();
    await env.DB.batch(
      Array.from({ length: 204 }, (_, at) =>
        env.DB.prepare(
          `INSERT INTO variable_revisions SELECT project_id || '/' || ?1, account_id, project_id, ?1, 0, changed_by, '[]', '[]'
           FROM variable_revisions WHERE revision = 1`,
        ).bind(at + 2),
      ),
    );
    expect((await project.set({ name: "USED", value: "1" })).revision).toBe(206);
    const oldest = await env.DB.prepare("SELECT min(revision) AS n FROM variable_revisions").first("n");
    expect(oldest).toBe(106);
    const values = await env.DB.prepare("SELECT value FROM variables ORDER BY revision").all();
    expect(values.results).toEqual([{ value: "0" }, { value: "1" }]);
  });
});
