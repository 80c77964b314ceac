/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Who runs the devices. The engine is owned in one of two ways:
 *
 *	threaded   by its thread, from start to stop. Calls wait in a list that the thread serves between rounds.
 *	stepped    there is no thread; a caller owns it while it holds the mutex "owner".
 *
 * Switching starts or joins the thread. "served" says which of the two holds; it changes under both mutexes.
 */
#include "softcx/core/engine.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "softcx/core/command.h"
#include "softcx/core/device.h"
#include "softcx/core/engine_internal.h"
#include "softcx/core/parts.h"

#define FDS_MAX       64
#define AWAKE_NS      150000 /* without work before the thread sleeps: a few times what waking it costs */
#define AWAKE_ROUNDS  20     /* the same on one CPU, where it stands in the way of whoever has the work */
#define SLEEP_MIN_US  20     /* where memory is watched: nobody wakes us when it changes */
#define SLEEP_MAX_US  1000

struct message {
	int (*fn)(void *arg);
	void *arg;
	int ret;
	bool done;
	pthread_cond_t answered;
	struct message *next;
};

static struct {
	pthread_mutex_t owner;
	pthread_mutex_t lock; /* messages, and served */
	struct message *first, **last;
	atomic_bool served;   /* a thread takes calls */
	atomic_bool pending;  /* look at messages, stop and queues before sleeping */
	atomic_bool asleep;
	atomic_bool stop;
	atomic_bool lost;     /* in a child of fork: its thread is the parent's */
	_Atomic int wake_fd;  /* made once: a late kick must find it */
	pthread_t thread;
	int starter_cpu;      /* where the caller of thread_start ran */
	bool one_cpu;

	struct sc_device *devices[SC_PORTS_MAX]; /* those with power; owned with the engine */
	bool poll_records;
	bool worked;          /* in the last round */
	uint32_t step_ns;
} engine = {
	.owner = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .last = &engine.first,
	.wake_fd = -1, .step_ns = 1000,
};

static _Thread_local bool owned;

bool
sc_engine_owned(void)
{
	return owned;
}

/* ---- clock --------------------------------------------------------------------------------------------- */

static struct {
	atomic_bool stepped;
	_Atomic uint64_t offset; /* threaded: device time = monotonic time + offset (modulo 2^64) */
	_Atomic uint64_t now;    /* stepped */
	atomic_bool started;
} device_clock;

static uint64_t
monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t
sc_now_ns(void)
{
	if (atomic_load_explicit(&device_clock.stepped, memory_order_acquire))
		return atomic_load_explicit(&device_clock.now, memory_order_relaxed);
	return monotonic_ns() + atomic_load_explicit(&device_clock.offset, memory_order_relaxed);
}

static void
clock_switch(bool stepped)
{
	uint64_t now;

	if (!atomic_exchange(&device_clock.started, true))
		atomic_store(&device_clock.offset, 1 - monotonic_ns());
	now = sc_now_ns();
	atomic_store(&device_clock.now, now);
	atomic_store(&device_clock.offset, now - monotonic_ns());
	sc_stepped_moved(monotonic_ns());
	atomic_store_explicit(&device_clock.stepped, stepped, memory_order_release);
}

/* ---- calls --------------------------------------------------------------------------------------------- */

void
sc_engine_kick(void)
{
	uint64_t one = 1;
	ssize_t n;

	/* Pairs with go_to_sleep: either it sees pending, or we see asleep and write. */
	atomic_store(&engine.pending, true);
	if (atomic_load(&engine.asleep)) {
		n = write(engine.wake_fd, &one, sizeof(one));
		(void)n; /* a full eventfd is readable: it wakes too */
	}
}

/* @return true when the engine's thread took it. */
static bool
call_thread(int (*fn)(void *arg), void *arg, int *ret)
{
	struct message m = { .fn = fn, .arg = arg };

	if (!atomic_load_explicit(&engine.served, memory_order_acquire))
		return false;
	pthread_mutex_lock(&engine.lock);
	if (!atomic_load_explicit(&engine.served, memory_order_relaxed)) {
		pthread_mutex_unlock(&engine.lock);
		return false;
	}
	pthread_cond_init(&m.answered, NULL);
	*engine.last = &m;
	engine.last = &m.next;
	sc_engine_kick();
	while (!m.done)
		pthread_cond_wait(&m.answered, &engine.lock);
	pthread_mutex_unlock(&engine.lock);
	pthread_cond_destroy(&m.answered);
	*ret = m.ret;
	return true;
}

/* @return true when it ran here. */
static bool
call_here(int (*fn)(void *arg), void *arg, int *ret)
{
	bool here;

	pthread_mutex_lock(&engine.owner);
	here = !atomic_load_explicit(&engine.served, memory_order_acquire);
	if (here) {
		owned = true;
		sc_stepped_look(engine.devices, monotonic_ns());
		*ret = fn(arg);
		owned = false;
	}
	pthread_mutex_unlock(&engine.owner);
	return here;
}

int
sc_engine_call(int (*fn)(void *arg), void *arg)
{
	int ret = 0;

	if (owned)
		return fn(arg);
	if (atomic_load_explicit(&engine.lost, memory_order_relaxed))
		return -EIO;
	while (!call_thread(fn, arg, &ret) && !call_here(fn, arg, &ret))
		;
	return ret;
}

struct command_call {
	struct sc_device *dev;
	uint16_t uid;
	const void *in;
	void *out;
	uint32_t in_len, out_len;
};

static int
run_command(void *arg)
{
	const struct command_call *c = arg;

	return sc_command_run(c->dev, c->uid, c->in, c->in_len, c->out, c->out_len);
}

int
sc_engine_command(struct sc_device *dev, uint16_t uid, const void *in, uint32_t in_len, void *out,
	uint32_t out_len)
{
	struct command_call c = {
		.dev = dev, .uid = uid, .in = in, .in_len = in_len, .out = out, .out_len = out_len,
	};

	return sc_engine_call(run_command, &c);
}

/* ---- one round ----------------------------------------------------------------------------------------- */

static bool
alive(const struct sc_device *dev)
{
	return dev != NULL && !dev->dead;
}

static uint64_t
poll_devices(void)
{
	const struct sc_part *const *part;
	uint64_t work = 0;
	bool busy;
	uint32_t i;

	for (i = 0; i < SC_PORTS_MAX; i++)
		for (part = sc_parts; *part != NULL && alive(engine.devices[i]); part++)
			if ((*part)->poll != NULL)
				work += (*part)->poll(engine.devices[i]);
	busy = work > 0 || engine.worked;
	for (i = 0; i < SC_PORTS_MAX; i++)
		for (part = sc_parts; *part != NULL && alive(engine.devices[i]); part++)
			if ((*part)->ask != NULL)
				work += (*part)->ask(engine.devices[i], busy);
	engine.worked = work > 0;
	return work;
}

/* ---- the thread ---------------------------------------------------------------------------------------- */

/* Serve every waiting call. @return false when the thread shall end; nothing can be added any more then. */
static bool
serve_messages(void)
{
	struct message *m;
	bool stop;

	pthread_mutex_lock(&engine.lock);
	atomic_store(&engine.pending, false);
	while ((m = engine.first) != NULL) {
		engine.first = m->next;
		if (engine.first == NULL)
			engine.last = &engine.first;
		pthread_mutex_unlock(&engine.lock);
		m->ret = m->fn(m->arg);
		pthread_mutex_lock(&engine.lock);
		m->done = true;
		pthread_cond_signal(&m->answered);
	}
	stop = atomic_load(&engine.stop);
	if (stop)
		atomic_store_explicit(&engine.served, false, memory_order_release);
	pthread_mutex_unlock(&engine.lock);
	return !stop;
}

/*
 * The descriptors to sleep on; lowers *us to what the devices allow, of which watch_us is for watching
 * memory.
 */
static nfds_t
sleep_set(struct pollfd *set, uint32_t watch_us, uint32_t *us)
{
	const struct sc_part *const *part;
	int fds[FDS_MAX], n = 0, i;
	uint32_t d;

	for (d = 0; d < SC_PORTS_MAX; d++) {
		const struct sc_device *dev = engine.devices[d];

		if (!alive(dev))
			continue;
		for (part = sc_parts; *part != NULL; part++) {
			if ((*part)->fds != NULL)
				n += (*part)->fds(dev, fds + n, FDS_MAX - n);
			if ((*part)->sleep_us != NULL) {
				uint32_t limit = (*part)->sleep_us(dev);

				if (limit < *us)
					*us = limit;
			}
			if ((*part)->watches != NULL && (*part)->watches(dev) && watch_us < *us)
				*us = watch_us;
		}
	}
	set[0] = (struct pollfd){ .fd = engine.wake_fd, .events = POLLIN };
	for (i = 0; i < n; i++)
		set[1 + i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
	return 1 + (nfds_t)n;
}

static void
go_to_sleep(uint32_t watch_us)
{
	struct pollfd set[1 + FDS_MAX];
	uint32_t us = engine.poll_records ? watch_us : UINT32_MAX;
	nfds_t n = sleep_set(set, watch_us, &us);
	struct timespec ts = { .tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000 };
	uint64_t count;

	if (us == 0)
		return;
	atomic_store(&engine.asleep, true);
	if (!atomic_load(&engine.pending))
		ppoll(set, n, us == UINT32_MAX ? NULL : &ts, NULL);
	atomic_store(&engine.asleep, false);
	if (set[0].revents & POLLIN && read(engine.wake_fd, &count, sizeof(count)) < 0)
		sched_yield();
}

/*
 * Programs pin their threads (DPDK one to a core), and a new thread inherits that: device and driver would
 * share a core. Any CPU but the starter's, if there is one; what the machine does not allow stays as it is.
 */
static void
leave_starters_cpu(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t set;

	CPU_ZERO(&set);
	for (long i = 0; i < cpus && i < CPU_SETSIZE; i++)
		CPU_SET(i, &set);
	if (engine.starter_cpu >= 0 && cpus > 1)
		CPU_CLR(engine.starter_cpu, &set);
	(void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
	engine.one_cpu = engine.starter_cpu >= 0 &&
			 pthread_getaffinity_np(pthread_self(), sizeof(set), &set) == 0 &&
			 CPU_COUNT(&set) == 1 && CPU_ISSET(engine.starter_cpu, &set);
}

/* Idle since then, for that many rounds: does it pay to look again at once? */
static bool
stay_awake(uint64_t since_ns, uint32_t rounds)
{
	return engine.one_cpu ? rounds < AWAKE_ROUNDS : monotonic_ns() - since_ns < AWAKE_NS;
}

static void *
engine_thread(void *arg)
{
	uint64_t since_ns = 0;
	uint32_t idle = 0, us = SLEEP_MIN_US;

	(void)arg;
	owned = true;
	leave_starters_cpu();
	for (;;) {
		if (atomic_load(&engine.pending)) {
			if (!serve_messages())
				break;
			idle = 0;
		}
		if (poll_devices() > 0) {
			idle = 0;
			us = SLEEP_MIN_US;
			continue;
		}
		if (idle++ == 0)
			since_ns = monotonic_ns();
		if (stay_awake(since_ns, idle)) {
			sched_yield();
			continue;
		}
		go_to_sleep(us);
		/* Asleep-prone: one look after a timeout, not AWAKE_NS of them. */
		us = us < SLEEP_MAX_US ? us * 2 : SLEEP_MAX_US;
	}
	owned = false;
	return NULL;
}

static void
in_child(void)
{
	atomic_store(&engine.lost, true);
}

static int
thread_start(void)
{
	sigset_t all, before;
	int ret;

	if (atomic_load(&engine.wake_fd) < 0) {
		ret = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (ret < 0)
			return -errno;
		atomic_store(&engine.wake_fd, ret);
		pthread_atfork(NULL, NULL, in_child);
	}
	engine.starter_cpu = sched_getcpu();
	pthread_mutex_lock(&engine.owner);
	pthread_mutex_lock(&engine.lock);
	atomic_store(&engine.stop, false);
	atomic_store(&engine.pending, true);
	/* The program's signals are the program's; what a fault of our own raises is ours. */
	sigfillset(&all);
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	sigdelset(&all, SIGILL);
	sigdelset(&all, SIGFPE);
	sigdelset(&all, SIGTRAP);
	sigdelset(&all, SIGABRT);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = pthread_create(&engine.thread, NULL, engine_thread, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ret == 0) {
		pthread_setname_np(engine.thread, "softcx");
		atomic_store_explicit(&engine.served, true, memory_order_release);
	}
	pthread_mutex_unlock(&engine.lock);
	pthread_mutex_unlock(&engine.owner);
	return -ret;
}

static void
thread_stop(void)
{
	atomic_store(&engine.stop, true);
	sc_engine_kick();
	pthread_join(engine.thread, NULL);
}

/* ---- for ports.c (under its lock) ---------------------------------------------------------------------- */

int
sc_engine_run(enum sc_exec exec)
{
	bool thread = exec == SC_EXEC_THREADED;

	if (thread == atomic_load(&engine.served))
		return 0;
	if (!thread) {
		thread_stop();
		clock_switch(true);
		return 0;
	}
	clock_switch(false);
	return thread_start();
}

void
sc_engine_stop(void)
{
	if (atomic_load(&engine.served))
		thread_stop();
}

void
sc_engine_clock(enum sc_exec exec)
{
	clock_switch(exec == SC_EXEC_STEPPED);
}

void
sc_engine_attach(struct sc_device *dev, const struct sc_settings *settings)
{
	engine.devices[dev->index] = dev;
	engine.poll_records = settings->uar == SC_UAR_POLL;
	engine.step_ns = settings->step_ns;
}

void
sc_engine_detach(struct sc_device *dev)
{
	engine.devices[dev->index] = NULL;
}

struct sc_device *
sc_device_at(uint32_t index)
{
	return index < SC_PORTS_MAX ? engine.devices[index] : NULL;
}

/* ---- stepping ------------------------------------------------------------------------------------------ */

int64_t
sc_engine_step(uint32_t max_rounds)
{
	uint64_t work, total = 0;
	uint32_t rounds = 0;

	pthread_mutex_lock(&engine.owner);
	if (atomic_load(&engine.served)) {
		pthread_mutex_unlock(&engine.owner);
		return -EINVAL;
	}
	owned = true;
	sc_stepped_moved(monotonic_ns());
	atomic_fetch_add(&device_clock.now, engine.step_ns);
	do {
		work = poll_devices();
		total += work;
		rounds++;
	} while (work > 0 && (max_rounds == 0 || rounds < max_rounds));
	owned = false;
	pthread_mutex_unlock(&engine.owner);
	return (int64_t)total;
}
