import { useEffect, useRef, useState } from "preact/hooks";

import { DEFAULT_TIME_ZONE } from "#project-files/cron/find-cron-problem.ts";
import { type CronJobs, MAX_CRON_JOBS } from "#contract/endpoints/cron/job-schemas.ts";
import { DEFAULT_CRON_TIMEOUT } from "#contract/endpoints/cron/schemas.ts";
import { sourceText } from "#contract/processes/command-source.ts";
import { type CronDraft, type CronField, newJob } from "#dashboard/pages/settings/cron-draft.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { Field } from "#dashboard/shared/field.tsx";

type Props = {
  readonly jobs: CronDraft;
  /** The jobs that the repository defines. */
  readonly repository: CronJobs;
  readonly onChange: (jobs: CronDraft) => void;
  /** The errors of the whole form, by their paths. */
  readonly errors: Readonly<Record<string, string>>;
};

/** The project's own cron jobs. */
export function CronFieldset({ jobs, repository, onChange, errors }: Props) {
  const [added, setAdded] = useState<number | null>(null);
  return (
    <fieldset>
      <legend>Jobs</legend>
      <p class="quiet">
        Commands that run at the times of a schedule, in the live release. A job of gantry.json with the same
        name is replaced. The server's policy must allow them.
      </p>
      {repository.length === 0 ? null : (
        <ul aria-label="Jobs of the repository">
          {repository.map(({ name, schedule, command }) => (
            <li key={name}>
              <code>{name}</code> <span class="quiet">{schedule}</span> <code>{command}</code>{" "}
              <span class="quiet">
                ({sourceText("gantry.json")}
                {jobs.some((job) => job.name.trim() === name) ? ", replaced below" : ""})
              </span>
            </li>
          ))}
        </ul>
      )}
      {jobs.map((job, at) => (
        <JobSettings
          // Jobs have no id, and their names are edited here.
          key={at}
          job={job}
          isNew={at === added}
          error={(field) => errors[`cron.${at}.${field}`] ?? null}
          onChange={(field, value) =>
            onChange(jobs.map((one, index) => (index === at ? { ...one, [field]: value } : one)))
          }
          onRemove={() => {
            setAdded(null);
            onChange(jobs.filter((_, index) => index !== at));
          }}
        />
      ))}
      <Button
        onClick={() => {
          setAdded(jobs.length);
          onChange([...jobs, newJob]);
        }}
        isDisabled={jobs.length >= MAX_CRON_JOBS}
      >
        Add a cron job
      </Button>
    </fieldset>
  );
}

type JobProps = {
  readonly job: CronDraft[number];
  /** It was just added. */
  readonly isNew: boolean;
  readonly error: (field: CronField) => string | null;
  readonly onChange: (field: CronField, value: string) => void;
  readonly onRemove: () => void;
};

function JobSettings({ job, isNew, error, onChange, onRemove }: JobProps) {
  const [isOpen, setIsOpen] = useState(isNew);
  const fields = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isNew) fields.current?.querySelector("input")?.focus();
  }, []);
  const field = (of: CronField, label: string, placeholder: string, isNumber = false) => (
    <Field
      label={label}
      value={job[of]}
      onInput={(value) => onChange(of, value)}
      placeholder={placeholder}
      isCode={!isNumber}
      type={isNumber ? "number" : "text"}
      error={error(of)}
    />
  );
  const name = job.name.trim() === "" ? "new job" : job.name;
  return (
    <details
      ref={fields}
      class="process-settings"
      open={isOpen}
      aria-label={`Cron job ${name}`}
      onToggle={(event) => setIsOpen(event.currentTarget.open)}
    >
      <summary>
        <code>{name}</code> <span class="quiet">{job.schedule}</span>
      </summary>
      {field("name", "Name", "backup")}
      {field("schedule", "Schedule", "30 2 * * *")}
      {field("command", "Command", "npm run backup")}
      <div class="columns">
        {field("timezone", "Time zone", DEFAULT_TIME_ZONE)}
        {field("timeout_seconds", "Time limit, in seconds", String(DEFAULT_CRON_TIMEOUT), true)}
      </div>
      <Button label={`Remove the job ${name}`} onClick={onRemove}>
        Remove the job
      </Button>
    </details>
  );
}
