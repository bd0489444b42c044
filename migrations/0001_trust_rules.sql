CREATE TABLE `trust_rules` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`provider` text NOT NULL,
	`issuer` text NOT NULL,
	`subject` text NOT NULL,
	`audience` text NOT NULL,
	`claims` text NOT NULL,
	`scopes` text NOT NULL,
	`project_ids` text,
	`lifetime_minutes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE INDEX `trust_rules_account` ON `trust_rules` (`account_id`,`id`);--> statement-breakpoint
CREATE INDEX `trust_rules_subject` ON `trust_rules` (`issuer`,`subject`);--> statement-breakpoint
CREATE TABLE `used_secrets` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `used_secrets_expires` ON `used_secrets` (`expires_at`);--> statement-breakpoint
ALTER TABLE `tokens` ADD `trust_rule_id` text;--> statement-breakpoint
CREATE INDEX `tokens_trust_rule` ON `tokens` (`trust_rule_id`) WHERE "tokens"."trust_rule_id" is not null;--> statement-breakpoint
CREATE INDEX `tokens_exchanged` ON `tokens` (`expires_at`) WHERE "tokens"."kind" = 'exchange';