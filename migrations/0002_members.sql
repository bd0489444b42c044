CREATE TABLE `installation_keys` (
	`name` text PRIMARY KEY NOT NULL,
	`secret` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`hash` text NOT NULL,
	`email` text,
	`grants` text NOT NULL,
	`invited_by` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_hash` ON `invitations` (`hash`);--> statement-breakpoint
CREATE INDEX `invitations_account` ON `invitations` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `invitations_expires` ON `invitations` (`expires_at`);--> statement-breakpoint
CREATE TABLE `members` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`email` text,
	`is_owner` integer NOT NULL,
	`grants` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `members_account` ON `members` (`account_id`,`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `members_email` ON `members` (`account_id`,`email`) WHERE "members"."email" is not null;--> statement-breakpoint
CREATE INDEX `members_owners` ON `members` (`account_id`) WHERE "members"."is_owner" = 1;--> statement-breakpoint
CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`member_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`rp_id` text NOT NULL,
	`name` text NOT NULL,
	`algorithm` integer NOT NULL,
	`jwk` text NOT NULL,
	`sign_count` integer NOT NULL,
	`is_backup_eligible` integer NOT NULL,
	`is_backed_up` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential` ON `passkeys` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkeys_member` ON `passkeys` (`member_id`,`id`);--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`member_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `recovery_codes_member` ON `recovery_codes` (`member_id`);--> statement-breakpoint
ALTER TABLE `trust_rules` ADD `created_by` text;--> statement-breakpoint
ALTER TABLE `sign_in_codes` ADD `member_id` text;--> statement-breakpoint
ALTER TABLE `tokens` ADD `member_id` text;--> statement-breakpoint
ALTER TABLE `tokens` ADD `created_by` text;--> statement-breakpoint
ALTER TABLE `tokens` ADD `authenticated_at` integer;--> statement-breakpoint
CREATE INDEX `tokens_member` ON `tokens` (`member_id`,`id`) WHERE "tokens"."member_id" is not null;--> statement-breakpoint
CREATE INDEX `tokens_created_by` ON `tokens` (`created_by`) WHERE "tokens"."created_by" is not null;