ALTER TABLE `projects` ADD `ingress_problem` text;--> statement-breakpoint
ALTER TABLE `servers` ADD `ingress_problem` text;