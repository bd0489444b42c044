CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`log_retention_days` integer DEFAULT 90 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `deployments` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`version` integer NOT NULL,
	`kind` text NOT NULL,
	`rollback_of` text,
	`status` text NOT NULL,
	`stage` text,
	`waits_for_server` integer NOT NULL,
	`branch` text NOT NULL,
	`commit_sha` text,
	`commit_message` text,
	`trigger` text NOT NULL,
	`actor` text NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`deadline_at` integer,
	`failure` text,
	`evidence` text,
	`release` integer,
	`release_kept` integer NOT NULL,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deployments_version` ON `deployments` (`project_id`,`version`);--> statement-breakpoint
CREATE INDEX `deployments_account` ON `deployments` (`account_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `deployments_one_live` ON `deployments` (`project_id`) WHERE "deployments"."status" = 'live';--> statement-breakpoint
CREATE INDEX `deployments_building` ON `deployments` (`project_id`,`version`) WHERE "deployments"."status" = 'building';--> statement-breakpoint
CREATE INDEX `deployments_unended` ON `deployments` (`account_id`,`id`) WHERE "deployments"."status" in ('live', 'building');--> statement-breakpoint
CREATE INDEX `deployments_release` ON `deployments` (`project_id`,`release`,`version`) WHERE "deployments"."release" is not null;--> statement-breakpoint
CREATE TABLE `idempotency_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`fingerprint` text NOT NULL,
	`seed` text NOT NULL,
	`created_at` integer NOT NULL,
	`answer` text
);
--> statement-breakpoint
CREATE INDEX `idempotency_keys_created` ON `idempotency_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`server_id` text NOT NULL,
	`name` text NOT NULL,
	`domain` text NOT NULL,
	`repository` text NOT NULL,
	`branch` text NOT NULL,
	`framework` text,
	`root_directory` text NOT NULL,
	`build_command` text,
	`output_directory` text,
	`activate_command` text,
	`shared_paths` text NOT NULL,
	`keep_releases` integer NOT NULL,
	`health_check` text,
	`timeouts` text NOT NULL,
	`queue` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_deploy_at` integer,
	`found` text,
	`url` text,
	`serving_release` integer,
	`serving_checked_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_domain` ON `projects` (`domain`);--> statement-breakpoint
CREATE INDEX `projects_account` ON `projects` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `projects_server` ON `projects` (`account_id`,`server_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `projects_name` ON `projects` (`account_id`,`name`);--> statement-breakpoint
CREATE TABLE `servers` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`ip` text NOT NULL,
	`created_at` integer NOT NULL,
	`enrolled_at` integer,
	`connected_at` integer,
	`last_seen_at` integer,
	`connected_ms_by_day` text NOT NULL,
	`agent_version` text,
	`agent_mismatch` text,
	`disk_total_bytes` real,
	`disk_free_bytes` real,
	`credential_hash` text,
	`enrollment_hash` text,
	`enrollment_expires_at` integer
);
--> statement-breakpoint
CREATE INDEX `servers_account` ON `servers` (`account_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `servers_credential` ON `servers` (`credential_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `servers_enrollment` ON `servers` (`enrollment_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `servers_name` ON `servers` (`account_id`,`name`);--> statement-breakpoint
CREATE TABLE `sign_in_codes` (
	`hash` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `sign_in_codes_expires` ON `sign_in_codes` (`expires_at`);--> statement-breakpoint
CREATE TABLE `sweeps` (
	`name` text PRIMARY KEY NOT NULL,
	`position` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`kind` text DEFAULT 'token' NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`scopes` text NOT NULL,
	`project_ids` text,
	`created_at` integer NOT NULL,
	`rotated_at` integer,
	`expires_at` integer NOT NULL,
	`previous_hash` text,
	`previous_expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash` ON `tokens` (`hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_previous_hash` ON `tokens` (`previous_hash`);--> statement-breakpoint
CREATE INDEX `tokens_account` ON `tokens` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `tokens_sessions` ON `tokens` (`expires_at`) WHERE "tokens"."kind" = 'session';