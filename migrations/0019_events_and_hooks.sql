CREATE TABLE `audit_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`project_id` text,
	`sequence` integer NOT NULL,
	`created_at` integer NOT NULL,
	`actor` text NOT NULL,
	`ip` text,
	`request_id` text,
	`action` text NOT NULL,
	`outcome` text NOT NULL,
	`code` text,
	`target` text,
	`changes` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_entries_sequence` ON `audit_entries` (`account_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_project` ON `audit_entries` (`project_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_created` ON `audit_entries` (`created_at`);--> statement-breakpoint
CREATE TABLE `audit_seals` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`number` integer NOT NULL,
	`first_entry` integer NOT NULL,
	`last_entry` integer NOT NULL,
	`hash` text NOT NULL,
	`sealed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_seals_number` ON `audit_seals` (`account_id`,`number`);--> statement-breakpoint
CREATE TABLE `events` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`project_id` text,
	`sequence` integer NOT NULL,
	`type` text NOT NULL,
	`actor` text NOT NULL,
	`data` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_sequence` ON `events` (`account_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `events_type` ON `events` (`account_id`,`type`,`sequence`);--> statement-breakpoint
CREATE INDEX `events_project` ON `events` (`project_id`,`sequence`);--> statement-breakpoint
CREATE INDEX `events_created` ON `events` (`created_at`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`shown_url` text NOT NULL,
	`events` text NOT NULL,
	`project_ids` text,
	`state` text DEFAULT 'active' NOT NULL,
	`disabled_reason` text,
	`failing_since` integer,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhooks_account` ON `webhooks` (`account_id`,`id`);--> statement-breakpoint
CREATE TABLE `freezes` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`project_id` text,
	`name` text NOT NULL,
	`times` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `freezes_account` ON `freezes` (`account_id`,`id`);--> statement-breakpoint
CREATE TABLE `hooks` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`forge` text NOT NULL,
	`repository` text NOT NULL,
	`repository_key` text NOT NULL,
	`secret` text NOT NULL,
	`previous_secret` text,
	`previous_expires_at` integer,
	`created_at` integer NOT NULL,
	`received_at` integer,
	`refused_at` integer,
	`refused_reason` text
);
--> statement-breakpoint
CREATE INDEX `hooks_account` ON `hooks` (`account_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `hooks_repository` ON `hooks` (`account_id`,`repository_key`);--> statement-breakpoint
CREATE TABLE `pushes` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`hook_id` text,
	`project_id` text,
	`source` text NOT NULL,
	`received_at` integer NOT NULL,
	`delivery_id` text,
	`event` text,
	`ref` text,
	`before` text,
	`after` text,
	`headline` text,
	`pusher` text,
	`body_hash` text,
	`paths` text,
	`decision` text NOT NULL,
	`reason` text,
	`detail` text,
	`deployment_id` text,
	`count` integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pushes_hook` ON `pushes` (`hook_id`,`id`);--> statement-breakpoint
CREATE INDEX `pushes_body` ON `pushes` (`hook_id`,`body_hash`);--> statement-breakpoint
CREATE INDEX `pushes_project` ON `pushes` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `pushes_account` ON `pushes` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `pushes_received` ON `pushes` (`received_at`);--> statement-breakpoint
ALTER TABLE `deployments` ADD `pushed_sha` text;--> statement-breakpoint
ALTER TABLE `deployments` ADD `hold` text;--> statement-breakpoint
ALTER TABLE `deployments` ADD `approved_by` text;--> statement-breakpoint
ALTER TABLE `projects` ADD `deploy_on` text;--> statement-breakpoint
ALTER TABLE `projects` ADD `repository_key` text;--> statement-breakpoint
ALTER TABLE `projects` ADD `approval` text DEFAULT 'none' NOT NULL;--> statement-breakpoint
CREATE INDEX `projects_repository` ON `projects` (`account_id`,`repository_key`);