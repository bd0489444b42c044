ALTER TABLE `servers` ADD `reports_digest` text;--> statement-breakpoint
ALTER TABLE `servers` ADD `reports_since` integer;--> statement-breakpoint
ALTER TABLE `servers` ADD `reports_checked_at` integer;