package sshserver

import "time"

// The bounds of what clients may take. The package documentation lists them with their
// reasons.
const (
	maxStrangers     = 200 // connections that have not logged in, in all
	maxStrangersOf   = 100 // connections that have not logged in, of one address
	maxConnections   = 160 // connections that have logged in, in all
	maxConnectionsOf = 8   // connections of one person

	maxGuests      = 64 // sessions of guests, in all
	maxOperators   = 16 // sessions of operations users, in all
	maxSessionsOf  = 4  // sessions of one person, and of one connection
	maxViewers     = 16 // sessions of the viewer, a name that several people share
	maxRefused     = 100
	maxTold        = 16 // environment variables that are taken
	maxUserFolders = 200

	maxWidth, maxHeight = 300, 100 // largest terminal that is drawn
	maxCells            = 600_000  // cells of all terminals
	maxCellsOf          = 60_000   // cells of the terminals of one person
	minCells            = 80 * 24  // a terminal gets at least these

	maxFiles     = 2_000     // files and folders of one person
	maxBytes     = 512 << 20 // bytes of the files of one person, each perFile more than its size
	maxRoomBytes = 4 << 30   // bytes of the files of all persons
	perFile      = 4 << 10
	maxHandles   = 256 // open files and folders of all sftp sessions
	maxHandlesOf = 64  // open files and folders of one person's sftp sessions
	maxPacket    = 256 << 10
	maxPath      = 1024

	maxReadings    = 2        // survey files that are read at once, in all
	maxReadingsOf  = 1        // survey files of one person that are read at once
	maxSurveyBytes = 10 << 20 // bytes of a survey file, as for uploads to the service
	maxSites       = 5_000    // sites of a survey file and of a draft
	maxPoints      = 200_000  // points of these sites
)

// How fast clients may be.
const (
	keyRate, keyBurst           = 2 << 10, 16 << 10  // bytes a second that are typed or pasted
	requestRate, requestBurst   = 50, 200            // requests of SSH a second
	sizeRate                    = 1_000              // sizes of terminals a second that are received
	resizeRate, resizeBurst     = 10, 2              // sizes of terminals a second that are drawn, of one person
	workRate, workBurst         = 500_000, 2_000_000 // microseconds a second in which the apps of one person work
	operationRate, operateBurst = 1_000, 2_000       // operations of sftp a second
	byteRate, byteBurst         = 4 << 20, 1 << 20   // bytes a second that are received of one person
	strangerRate, strangerBurst = 32 << 10, 128 << 10
	rekeyEvery, rekeyBurst      = time.Second, 10 // key exchanges of one connection
	logEvery, logBurst          = time.Second, 60 // lines about failed logins
)

// fullPause is how long the server waits after it has closed a connection for a new one.
// However fast strangers connect, a connection has time to say something before it is
// closed for others: maxStrangersOf such pauses.
const fullPause = 2 * time.Millisecond

// Times are given as parts of [Options.Patience], which is half a minute.
func (o *Options) silentTime() time.Duration { return o.Patience / 3 } // until a connection says something
func (o *Options) startTime() time.Duration  { return o.Patience / 3 } // until a channel starts something
func (o *Options) loginTime() time.Duration  { return o.Patience * 4 } // until a login is complete
func (o *Options) idleTime() time.Duration   { return o.Patience * 4 } // that a connection may have no session
