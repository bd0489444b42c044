CREATE TABLE `connect_grants` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`member_id` text NOT NULL,
	`proof_challenge` text,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`project_ids` text,
	`lifetime_days` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `connect_grants_member` ON `connect_grants` (`member_id`);--> statement-breakpoint
CREATE INDEX `connect_grants_expires` ON `connect_grants` (`expires_at`);