CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`log_retention_days` integer DEFAULT 90 NOT NULL,
	`deployment_retention_days` integer
);
--> statement-breakpoint
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
CREATE INDEX `audit_entries_action` ON `audit_entries` (`account_id`,`action`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_outcome` ON `audit_entries` (`account_id`,`outcome`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_actor` ON `audit_entries` (`account_id`,"actor" ->> 'id',`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_target` ON `audit_entries` (`account_id`,"target" ->> 'id',`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_created` ON `audit_entries` (`created_at`);--> statement-breakpoint
CREATE INDEX `audit_entries_project_action` ON `audit_entries` (`project_id`,`action`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_project_outcome` ON `audit_entries` (`project_id`,`outcome`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_project_actor` ON `audit_entries` (`project_id`,"actor" ->> 'id',`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_project_target` ON `audit_entries` (`project_id`,"target" ->> 'id',`sequence`);--> statement-breakpoint
CREATE TABLE `audit_seals` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`number` integer NOT NULL,
	`first_entry` integer NOT NULL,
	`last_entry` integer NOT NULL,
	`hash` text NOT NULL,
	`sealed_at` integer NOT NULL,
	`entries_hash` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `audit_seals_number` ON `audit_seals` (`account_id`,`number`);--> statement-breakpoint
CREATE INDEX `audit_seals_last_entry` ON `audit_seals` (`account_id`,`last_entry`);--> statement-breakpoint
CREATE TABLE `commands` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`project_id` text NOT NULL,
	`command` text NOT NULL,
	`timeout_seconds` integer NOT NULL,
	`actor` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `commands_project` ON `commands` (`project_id`,`id`);--> statement-breakpoint
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
	`requested_commit` text,
	`commit_message` text,
	`trigger` text NOT NULL,
	`actor` text NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer,
	`deadline_at` integer,
	`failure` text,
	`evidence` text,
	`stages` text,
	`release` integer,
	`release_kept` integer NOT NULL,
	`variables_revision` integer,
	`clear_cache` integer DEFAULT false NOT NULL,
	`pushed_sha` text,
	`hold` text,
	`approved_by` text,
	`emergency` text,
	`changes` text,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `deployments_version` ON `deployments` (`project_id`,`version`);--> statement-breakpoint
CREATE INDEX `deployments_account` ON `deployments` (`account_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `deployments_one_live` ON `deployments` (`project_id`) WHERE "deployments"."status" = 'live';--> statement-breakpoint
CREATE INDEX `deployments_building` ON `deployments` (`project_id`,`version`) WHERE "deployments"."status" = 'building';--> statement-breakpoint
CREATE INDEX `deployments_unended` ON `deployments` (`account_id`,`id`) WHERE "deployments"."status" in ('live', 'building');--> statement-breakpoint
CREATE INDEX `deployments_release` ON `deployments` (`project_id`,`release`,`version`) WHERE "deployments"."release" is not null;--> statement-breakpoint
CREATE INDEX `deployments_variables` ON `deployments` (`project_id`,`variables_revision`) WHERE "deployments"."variables_revision" is not null;--> statement-breakpoint
CREATE INDEX `deployments_ended_status` ON `deployments` (`project_id`,`status`,`id`) WHERE "deployments"."status" in ('superseded', 'failed', 'canceled');--> statement-breakpoint
CREATE INDEX `deployments_ended_branch` ON `deployments` (`project_id`,`branch`,`id`) WHERE "deployments"."status" in ('superseded', 'failed', 'canceled');--> statement-breakpoint
CREATE INDEX `deployments_ended_server` ON `deployments` (`project_id`,`server_id`,`id`) WHERE "deployments"."status" in ('superseded', 'failed', 'canceled');--> statement-breakpoint
CREATE INDEX `deployments_ended_commit` ON `deployments` (`account_id`,`commit_sha`,`id`) WHERE "deployments"."status" in ('superseded', 'failed', 'canceled');--> statement-breakpoint
CREATE TABLE `domains` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`project_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `domains_project` ON `domains` (`project_id`);--> statement-breakpoint
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
CREATE INDEX `events_project_type` ON `events` (`project_id`,`type`,`sequence`);--> statement-breakpoint
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
CREATE INDEX `hooks_previous_expires` ON `hooks` (`previous_expires_at`) WHERE "hooks"."previous_expires_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `hooks_repository` ON `hooks` (`account_id`,`repository_key`);--> statement-breakpoint
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
CREATE INDEX `idempotency_keys_account` ON `idempotency_keys` (`account_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`server_id` text NOT NULL,
	`name` text NOT NULL,
	`domain` text NOT NULL,
	`repository` text NOT NULL,
	`branch` text NOT NULL,
	`settings` text NOT NULL,
	`repository_key` text NOT NULL,
	`read_repository` text,
	`maintenance` text,
	`created_at` integer NOT NULL,
	`last_deploy_at` integer,
	`detected` text,
	`url` text,
	`serving_release` integer,
	`serving_checked_at` integer,
	`reported_processes` text,
	`ingress_problem` text,
	`health` text,
	`deploy_key` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_domain` ON `projects` (`domain`);--> statement-breakpoint
CREATE INDEX `projects_account` ON `projects` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `projects_server` ON `projects` (`account_id`,`server_id`);--> statement-breakpoint
CREATE INDEX `projects_repository` ON `projects` (`account_id`,`repository_key`);--> statement-breakpoint
CREATE INDEX `projects_maintenance` ON `projects` (`account_id`) WHERE "projects"."maintenance" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `projects_name` ON `projects` (`account_id`,`name`);--> statement-breakpoint
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
	`live_sha` text,
	`count` integer DEFAULT 1 NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pushes_hook` ON `pushes` (`hook_id`,`id`);--> statement-breakpoint
CREATE INDEX `pushes_body` ON `pushes` (`hook_id`,`body_hash`);--> statement-breakpoint
CREATE INDEX `pushes_project` ON `pushes` (`project_id`,`id`);--> statement-breakpoint
CREATE INDEX `pushes_account` ON `pushes` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `pushes_received` ON `pushes` (`received_at`);--> statement-breakpoint
CREATE INDEX `pushes_ref` ON `pushes` (`project_id`,`ref`,`id`);--> statement-breakpoint
CREATE INDEX `pushes_counted` ON `pushes` (`hook_id`,`received_at`) WHERE "pushes"."project_id" is null;--> statement-breakpoint
CREATE INDEX `pushes_skipped` ON `pushes` (`project_id`,`live_sha`,`after`) WHERE "pushes"."live_sha" is not null;--> statement-breakpoint
CREATE INDEX `pushes_unread` ON `pushes` (`project_id`,`id`) WHERE "pushes"."reason" = 'repository_unread';--> statement-breakpoint
CREATE TABLE `removed_projects` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `servers` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`ip` text NOT NULL,
	`created_at` integer NOT NULL,
	`enrolled_at` integer,
	`first_connected_at` integer,
	`connected_at` integer,
	`last_seen_at` integer,
	`connected_ms_by_day` text NOT NULL,
	`agent_version` text,
	`agent_mismatch` text,
	`disk_total_bytes` real,
	`disk_free_bytes` real,
	`disk_cache_bytes` real,
	`reports_digest` text,
	`reports_since` integer,
	`reports_checked_at` integer,
	`seal_key` text,
	`isolation` text,
	`policy` text,
	`tools` text,
	`ingress_problem` text,
	`region` text,
	`detected_region` text,
	`taken_over_at` integer,
	`credential_hash` text,
	`enrollment_hash` text,
	`enrollment_expires_at` integer,
	`enrollment_made_by` text
);
--> statement-breakpoint
CREATE INDEX `servers_account` ON `servers` (`account_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `servers_credential` ON `servers` (`credential_hash`);--> statement-breakpoint
CREATE UNIQUE INDEX `servers_enrollment` ON `servers` (`enrollment_hash`);--> statement-breakpoint
CREATE INDEX `servers_enrollment_expires` ON `servers` (`enrollment_expires_at`) WHERE "servers"."enrollment_expires_at" is not null;--> statement-breakpoint
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
CREATE INDEX `tokens_sessions` ON `tokens` (`expires_at`) WHERE "tokens"."kind" = 'session';--> statement-breakpoint
CREATE INDEX `tokens_revoked` ON `tokens` (`revoked_at`) WHERE "tokens"."revoked_at" is not null;--> statement-breakpoint
CREATE INDEX `tokens_previous_expires` ON `tokens` (`previous_expires_at`) WHERE "tokens"."previous_expires_at" is not null;--> statement-breakpoint
CREATE INDEX `tokens_valid` ON `tokens` (`account_id`,`id`) WHERE "tokens"."revoked_at" is null;--> statement-breakpoint
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
CREATE INDEX `webhooks_account` ON `webhooks` (`account_id`,`id`);