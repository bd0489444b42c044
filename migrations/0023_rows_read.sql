CREATE TABLE `removed_projects` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `audit_entries_action` ON `audit_entries` (`account_id`,`action`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_outcome` ON `audit_entries` (`account_id`,`outcome`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_actor` ON `audit_entries` (`account_id`,"actor" ->> 'id',`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_target` ON `audit_entries` (`account_id`,"target" ->> 'id',`sequence`);--> statement-breakpoint
CREATE INDEX `pushes_ref` ON `pushes` (`project_id`,`ref`,`id`);--> statement-breakpoint
CREATE INDEX `pushes_counted` ON `pushes` (`hook_id`,`received_at`) WHERE "pushes"."project_id" is null;--> statement-breakpoint
CREATE INDEX `deployments_ended_status` ON `deployments` (`project_id`,`status`,`id`) WHERE "deployments"."status" in ('superseded', 'failed', 'canceled');--> statement-breakpoint
CREATE INDEX `deployments_ended_branch` ON `deployments` (`project_id`,`branch`,`id`) WHERE "deployments"."status" in ('superseded', 'failed', 'canceled');--> statement-breakpoint
CREATE INDEX `deployments_ended_server` ON `deployments` (`project_id`,`server_id`,`id`) WHERE "deployments"."status" in ('superseded', 'failed', 'canceled');--> statement-breakpoint
CREATE INDEX `deployments_ended_commit` ON `deployments` (`account_id`,`commit_sha`,`id`) WHERE "deployments"."status" in ('superseded', 'failed', 'canceled');--> statement-breakpoint
CREATE INDEX `idempotency_keys_account` ON `idempotency_keys` (`account_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `tokens_valid` ON `tokens` (`account_id`,`id`) WHERE "tokens"."revoked_at" is null;