ALTER TABLE `accounts` ADD `deployment_retention_days` integer;--> statement-breakpoint
CREATE INDEX `hooks_previous_expires` ON `hooks` (`previous_expires_at`) WHERE "hooks"."previous_expires_at" is not null;--> statement-breakpoint
CREATE INDEX `servers_enrollment_expires` ON `servers` (`enrollment_expires_at`) WHERE "servers"."enrollment_expires_at" is not null;--> statement-breakpoint
CREATE INDEX `tokens_revoked` ON `tokens` (`revoked_at`) WHERE "tokens"."revoked_at" is not null;--> statement-breakpoint
CREATE INDEX `tokens_previous_expires` ON `tokens` (`previous_expires_at`) WHERE "tokens"."previous_expires_at" is not null;