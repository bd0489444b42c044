ALTER TABLE `freezes` ADD `created_by` text;--> statement-breakpoint
ALTER TABLE `tokens` ADD `previous_created_by` text;--> statement-breakpoint
CREATE INDEX `audit_entries_member` ON `audit_entries` (`account_id`,"actor" -> 'member' ->> 'id',`sequence`) WHERE "actor" -> 'member' ->> 'id' is not null;--> statement-breakpoint
CREATE INDEX `audit_entries_project_member` ON `audit_entries` (`project_id`,"actor" -> 'member' ->> 'id',`sequence`) WHERE "actor" -> 'member' ->> 'id' is not null;