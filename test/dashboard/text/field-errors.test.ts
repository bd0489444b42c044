import { expect, it } from "vitest";
import type * as z from "zod/mini";

import { CreateProjectInput, UpdateProjectInput } from "#contract/endpoints/projects/project-inputs.ts";
import { CreateServerInput } from "#contract/endpoints/servers/schemas.ts";
import { CreateFreezeInput } from "#contract/endpoints/freezes/schemas.ts";
import { CreateTokenInput } from "#contract/endpoints/tokens/schemas.ts";
import { cronChange, newJob } from "#dashboard/pages/settings/cron-draft.ts";
import { readForm } from "#dashboard/text/field-errors.ts";

const errorsIn = (schema: z.ZodMiniType, input: unknown) => readForm(schema, input).errors;

it("an empty field asks for its content, before the rules for it", () => {
  const cron = cronChange([newJob], []);
  expect(errorsIn(UpdateProjectInput, { cron })).toEqual({
    "cron.0.name": "Enter a name.",
    "cron.0.command": "Enter a command.",
  });
  expect(errorsIn(UpdateProjectInput, { processes: { web: { command: "" } } })).toEqual({
    "processes.web.command": "Enter a command.",
  });
  expect(errorsIn(CreateServerInput, { name: "", ip: "" })).toEqual({
    name: "Enter a name.",
    ip: "Enter an IPv4 address.",
  });
  expect(errorsIn(CreateProjectInput, { name: "", repository: "", server_id: "" })).toMatchObject({
    name: "Enter a name.",
    repository: "Enter the address of a repository.",
  });
  for (const schema of [CreateFreezeInput, CreateTokenInput])
    expect(errorsIn(schema, { name: "" })).toMatchObject({ name: "Enter a name." });
});

it("a field that is not empty is answered with its rules", () => {
  const cron = cronChange([{ ...newJob, name: "Back up", schedule: "@daily", command: "./backup" }], []);
  expect(errorsIn(UpdateProjectInput, { cron })).toEqual({
    "cron.0.name": expect.stringContaining("lower-case letters"),
  });
});
