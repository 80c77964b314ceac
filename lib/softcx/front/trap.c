/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The write fault on a read-only UAR page: decode the store, carry it out, step over it. The fault is
 * synchronous, so the handler runs at a known place of the program (a store to the page) and may take the
 * engine's locks: the engine itself never stores there.
 */
#include "softcx/front/trap.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "softcx/front/store.h"

static struct sigaction previous;
static pthread_mutex_t install_lock = PTHREAD_MUTEX_INITIALIZER;

/* A store whose form is unknown cannot be carried out: say which bytes, then die as without a handler. */
static void
say_unknown(const ucontext_t *uc)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *code = (const uint8_t *)uc->uc_mcontext.gregs[REG_RIP];
	char text[] = "softcx: uar=trap cannot decode the store .. .. .. .. .. .. .. ..\n";
	char *at = strchr(text, '.');

	for (unsigned int i = 0; i < 8; i++, at += 3) {
		at[0] = digits[code[i] >> 4];
		at[1] = digits[code[i] & 15];
	}
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		return;
}

/* A fault that is not ours. */
static void
pass_on(int sig, siginfo_t *info, void *context)
{
	if (previous.sa_flags & SA_SIGINFO) {
		previous.sa_sigaction(sig, info, context);
	} else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
		previous.sa_handler(sig);
	} else {
		/* The instruction faults again and the process ends as it would have. */
		signal(sig, SIG_DFL);
	}
}

static void
on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	struct sc_store store;
	int saved_errno = errno;

	if (info->si_code != SEGV_ACCERR || !sc_uar_holds(info->si_addr)) {
		pass_on(sig, info, context);
	} else if (sc_store_decode(uc, &store) != 0) {
		say_unknown(uc);
		pass_on(sig, info, context);
	} else {
		sc_store_retire(uc, &store, sc_uar_store(info->si_addr, store.value, store.size));
	}
	errno = saved_errno;
}

int
sc_trap_install(void)
{
	struct sigaction now,
		ours = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	int rc = 0;

	sigemptyset(&ours.sa_mask);
	pthread_mutex_lock(&install_lock);
	if (sigaction(SIGSEGV, NULL, &now) != 0) {
		rc = -errno;
	} else if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != on_fault) {
		previous = now;
		if (sigaction(SIGSEGV, &ours, NULL) != 0)
			rc = -errno;
	}
	pthread_mutex_unlock(&install_lock);
	return rc;
}
