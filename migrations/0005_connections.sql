CREATE TABLE `connections` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`issuer` text NOT NULL,
	`client_id` text NOT NULL,
	`client_secret` text,
	`scopes` text NOT NULL,
	`groups_claim` text NOT NULL,
	`group_grants` text NOT NULL,
	`sync_grants` integer NOT NULL,
	`join_policy` text NOT NULL,
	`domains` text NOT NULL,
	`join_grants` text NOT NULL,
	`is_forced` integer NOT NULL,
	`session_hours` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE INDEX `connections_account` ON `connections` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `connections_forced` ON `connections` (`account_id`) WHERE "connections"."is_forced" = 1;--> statement-breakpoint
CREATE TABLE `identities` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`connection_id` text NOT NULL,
	`subject` text NOT NULL,
	`member_id` text NOT NULL,
	`name` text,
	`created_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `identities_subject` ON `identities` (`connection_id`,`subject`);--> statement-breakpoint
CREATE INDEX `identities_member` ON `identities` (`member_id`,`id`);--> statement-breakpoint
ALTER TABLE `tokens` ADD `connection_id` text;--> statement-breakpoint
CREATE INDEX `tokens_connection` ON `tokens` (`connection_id`) WHERE "tokens"."connection_id" is not null;