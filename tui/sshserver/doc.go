// Package sshserver serves the app over SSH to people who have only a terminal. Each user gets a
// folder, which is also available over sftp, and no other access to the host: no shell, no programs
// and no forwarding.
//
// # Limits
//
// The server limits the resources of each client, so that a client that uses too much reaches a limit
// before it slows down the others. Connections are closed in the order of their usefulness. Sessions,
// files and memory are counted per person.
//
//	resource                          per client                          in all
//	connections before the login      100 per address (/64 for IPv6)      200; the least useful is closed for a new one
//	  replaced by new ones                                                500 per second
//	  timeouts                        10 s until the first packets, 2 min until the login
//	  received bytes                  32 kB/s
//	connections after the login       8 per person (32 for the viewer)    160; the oldest without a session is closed
//	  without a session               2 min
//	key exchanges                     10, then one per second
//	received bytes                    4 MB/s per person
//	requests and channels             200, then 50 per second; 100 refused channels end the connection
//	sessions                          4 per person (16 for the viewer)    64 of guests and 16 of operations users
//	  that start nothing              10 s
//	  unread input                    2 MiB (window of a channel)         160 MiB
//	  keys and pastes                 16 KiB, then 2 KiB/s per person
//	  messages for the app            16
//	  environment variables           16 of 128 bytes
//	  sizes of terminals              1,000 per second; only the newest is kept
//	    drawn                         10 per second and person
//	  work of the app                 half a processor per person (one processor for the viewer)
//	  cells of terminals              30,000; 60,000 per person           600,000, and 80x24 for each further terminal
//	goroutines                        11 per connection, 21 per session   limited by connections and sessions
//	sftp operations                   2,000, then 1,000 per second
//	sftp packets                      256 KiB, 17 at once                 350 MiB, with 80 sessions
//	sftp handles                      64 files and folders per person     256
//	  entries of a folder             100 at a time
//	files and folders                 2,000 per person                    200 people
//	bytes of files                    512 MiB per person                  4 GiB
//	  written by the app              counted every 10 s; sessions end at 25% above the limit
//	survey files being read           1 at a time per person              2 at a time
//	  bytes                           10 MiB per file
//	  sites and their points          5,000 and 200,000 per file and per draft
//	counts of wrong codes             256 in all, shared by all names
//	log lines about failed logins     60, then one per second
//
// The files of a person are those that the person copies, exports and downloads, and the state of the
// app. A server at its limits needs at most 1 GiB of memory, which TestCampaignOfAFullRoom of package
// cli checks, and 4 GiB of disk space.
package sshserver
