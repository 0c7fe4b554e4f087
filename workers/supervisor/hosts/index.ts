/** The hosts of one database: which are alive, which are compatible, and which is woken for work. */
export { createHosts, type Hosts, type HostState } from './hosts.ts';
export { createHostAlarms, type HostAlarms } from './host-alarms.ts';
export { joinHosts, type JoinedHosts } from './join-hosts.ts';
