CREATE INDEX `audit_entries_project_action` ON `audit_entries` (`project_id`,`action`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_project_outcome` ON `audit_entries` (`project_id`,`outcome`,`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_project_actor` ON `audit_entries` (`project_id`,"actor" ->> 'id',`sequence`);--> statement-breakpoint
CREATE INDEX `audit_entries_project_target` ON `audit_entries` (`project_id`,"target" ->> 'id',`sequence`);