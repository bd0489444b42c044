-- The hash of a seal covers more than before. The schedule seals the entries again.
DELETE FROM `audit_seals`;--> statement-breakpoint
ALTER TABLE `audit_seals` ADD `entries_hash` text NOT NULL;--> statement-breakpoint
CREATE INDEX `audit_seals_last_entry` ON `audit_seals` (`account_id`,`last_entry`);
