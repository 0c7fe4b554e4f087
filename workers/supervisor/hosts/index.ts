/** The hosts of one database: who lives, who fits, and who is woken. */
export { createHosts, type Hosts, type HostState } from './hosts.ts';
export { createHostAlarms, type HostAlarms } from './host-alarms.ts';
export { joinHosts, type JoinedHosts } from './join-hosts.ts';
