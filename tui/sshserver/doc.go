// Package sshserver serves the app over SSH to people who need nothing but a terminal. Each
// gets a folder, which sftp reaches, and nothing else of the host: no shell, no programs, no
// forwarding.
//
// # Bounds
//
// A client can take only so much of what the server keeps. A limit is reached by whoever
// takes too much, not by the others: connections are closed in the order of their
// uselessness, and sessions, files and memory are counted for each person.
//
//	kept                              of one client                      in all
//	connections before the login      100 of an address (/64 of IPv6)    200; the least useful one is closed for a new one
//	  new ones for old ones                                             500 a second
//	  their time                      10 s to say something, 2 min to log in
//	  what they send                  32 kB/s
//	connections after the login       8 of a person (32 of the viewer)   160; the oldest one without a session is closed
//	  without a session               2 min
//	key exchanges                     10, then one a second
//	what is received                  4 MB/s of a person
//	requests and channels             200, then 50 a second; 100 refused channels end the connection
//	sessions                          4 of a person (16 of the viewer)   64 of guests and 16 of operations
//	  that start nothing              10 s
//	  input that is not read          2 MiB (window of a channel)        160 MiB
//	  keys and pastes                 16 KiB, then 2 KiB/s of a person
//	  messages for the app            16
//	  environment variables           16 of 128 bytes
//	  sizes of terminals              1,000 a second; the newest one waits
//	    drawn                         10 a second of a person
//	  work of the app                 half a processor of a person (the whole of one of the viewer)
//	  cells of terminals              30,000; 60,000 of a person         600,000, and 80x24 for each further terminal
//	goroutines                        11 a connection, 21 a session      by the number of both
//	sftp operations                   2,000, then 1,000 a second
//	sftp packets                      256 KiB, 17 at once                350 MiB, with 80 sessions
//	sftp handles                      64 of a person, files and folders  256
//	  entries of a folder             100 at a time
//	files and folders                 2,000 of a person                  200 persons
//	bytes of files                    512 MiB of a person                4 GiB
//	  written by the app              counted every 10 s; sessions end at a quarter more
//	survey files that are read        1 at a time of a person            2 at a time
//	  bytes                           10 MiB a file
//	  sites, and their points         5,000 and 200,000 of a file, and of a draft
//	counts of wrong codes             256 in all, shared by all names
//	log lines of failed logins        60, then one a second
//
// Files are what a person copies, exports and downloads, with the state that the app keeps
// for them. A full room needs at most 1 GiB of memory, which TestCampaignOfAFullRoom of the
// commands checks, and 4 GiB of disk space.
package sshserver
