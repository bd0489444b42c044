CREATE TABLE `variable_revisions` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`project_id` text NOT NULL,
	`revision` integer NOT NULL,
	`changed_at` integer NOT NULL,
	`changed_by` text NOT NULL,
	`set_names` text NOT NULL,
	`removed_names` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `variable_revisions_project` ON `variable_revisions` (`project_id`,`revision`);--> statement-breakpoint
CREATE TABLE `variables` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`revision` integer NOT NULL,
	`until` integer,
	`changed_at` integer NOT NULL,
	`changed_by` text NOT NULL,
	`secret` integer NOT NULL,
	`build` integer NOT NULL,
	`value` text,
	`sealed` text
);
--> statement-breakpoint
CREATE INDEX `variables_project` ON `variables` (`project_id`,`until`);--> statement-breakpoint
CREATE UNIQUE INDEX `variables_current` ON `variables` (`project_id`,`name`) WHERE "variables"."until" is null;--> statement-breakpoint
ALTER TABLE `deployments` ADD `variables_revision` integer;--> statement-breakpoint
CREATE INDEX `deployments_variables` ON `deployments` (`project_id`,`variables_revision`) WHERE "deployments"."variables_revision" is not null;--> statement-breakpoint
ALTER TABLE `servers` ADD `seal_key` text;