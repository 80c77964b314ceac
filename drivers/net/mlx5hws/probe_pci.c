/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The PCI driver: a guest on the bus. It takes a function only when its devargs say pmd=mlx5hws and
 * answers "not mine" otherwise, so that DPDK's own mlx5 driver keeps its devices.
 */
#include <errno.h>

#include <rte_bus.h>
#include <bus_driver.h>
#include <bus_pci_driver.h>
#include <dev_driver.h>
#include <ethdev_driver.h>
#include <ethdev_pci.h>

#include "compat.h"
#include "driver.h"
#include "hca/verbs.h"
#include "log.h"
#include "port.h"

#define PCI_VENDOR_MELLANOX 0x15b3

#define PCI_DEVICES(D) \
	D(0x101d) /* ConnectX-6 Dx */ \
	D(0x101e) /* their virtual functions */ \
	D(0x101f) /* ConnectX-6 Lx */ \
	D(0x1021) /* ConnectX-7 */ \
	D(0x1023) /* ConnectX-8 */ \
	D(0xa2d6) /* BlueField-2 */ \
	D(0xa2dc) /* BlueField-3 */

#define PCI_ID_ROW(device) { RTE_PCI_DEVICE(PCI_VENDOR_MELLANOX, device) },
static const struct rte_pci_id pci_ids[] = { PCI_DEVICES(PCI_ID_ROW) { .vendor_id = 0 } };

/*
 * What dpdk-pmdinfo.py looks for; numbers must be decimal, so they are typed again and a test compares
 * them.
 */
static const char pmd_info[] __attribute__((used)) =
	"PMD_INFO_STRING= {\"name\" : \"net_mlx5hws\", "
	"\"params\" : \"pmd=mlx5hws dv_flow_en=2 svc_cycle_time=<ms>\", "
	"\"kmod\" : \"* ib_uverbs & mlx5_core & mlx5_ib\", "
	"\"pci_ids\" : [[5555, 4125, 65535, 65535], [5555, 4126, 65535, 65535], [5555, 4127, 65535, 65535], "
	"[5555, 4129, 65535, 65535], [5555, 4131, 65535, 65535], [5555, 41686, 65535, 65535], "
	"[5555, 41692, 65535, 65535]]}";

/* More than zero tells the bus to ask the next driver. */
enum { NOT_MINE = 1 };

static void
decorate(struct rte_eth_dev *dev, struct rte_device *device)
{
	rte_eth_copy_pci_info(dev, MLX5HWS_TO_PCI(device));
}

static int
pci_probe(struct rte_pci_driver *driver, struct rte_pci_device *pci)
{
	const char *args = pci->device.devargs == NULL ? NULL : pci->device.devargs->args;
	struct mlx5hws_origin origin = { .device = pci->device.name };
	struct mlx5hws_devargs devargs;
	int ret;

	RTE_SET_USED(driver);
	if (!mlx5hws_devargs_claim(args))
		return NOT_MINE;
	if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
		MLX5HWS_LOG(ERR, "%s: secondary processes are not served yet", pci->device.name);
		return -ENOTSUP;
	}
	ret = mlx5hws_devargs_parse(args, &devargs, NULL);
	if (ret == 0)
		ret = hca_verbs_open_rdma_core(&origin.verbs);
	if (ret != 0)
		return ret;
	return mlx5hws_probe_port(&pci->device, &origin, &devargs, decorate);
}

static int
pci_remove(struct rte_pci_device *pci)
{
	return mlx5hws_remove_port(pci->device.name);
}

static struct rte_pci_driver pci_driver = {
	.driver = { .name = "net_mlx5hws" },
	.id_table = pci_ids,
	.probe = pci_probe,
	.remove = pci_remove,
	.drv_flags = RTE_PCI_DRV_INTR_LSC | RTE_PCI_DRV_INTR_RMV,
};

#if MLX5HWS_PCI_DRIVER_LINKED
/*
 * The driver in front of this one in the bus's list; NULL: this is the first. The list's head lies in the
 * bus itself.
 */
static struct rte_pci_driver *
driver_before(struct rte_pci_driver *driver, const struct rte_bus *bus)
{
	uintptr_t link = (uintptr_t)driver->next.tqe_prev;

	if (link >= (uintptr_t)bus && link < (uintptr_t)bus + sizeof(*bus) + 64)
		return NULL;
	return RTE_PTR_SUB(link, offsetof(struct rte_pci_driver, next));
}

/*
 * Drivers are asked in the order of their registration, and the first mlx5 driver that dislikes an
 * argument ends the probe of the device. A program that is linked with DPDK's mlx5 has it registered
 * before us, so it is registered again, behind.
 */
static void
ask_us_before_mlx5(void)
{
	struct rte_bus *bus = rte_bus_find_by_name("pci");
	struct rte_pci_driver *driver = &pci_driver;

	if (bus == NULL)
		return;
	while ((driver = driver_before(driver, bus)) != NULL) {
		if (driver->driver.name == NULL || strcmp(driver->driver.name, "mlx5_pci") != 0)
			continue;
		rte_pci_unregister(driver);
		rte_pci_register(driver);
		return;
	}
}
#else
/* The same for the bus's own list. */
static void
ask_us_before_mlx5(void)
{
	struct rte_bus *bus = rte_bus_find_by_name("pci");
	struct rte_pci_driver *driver;

	if (bus == NULL)
		return;
	RTE_BUS_FOREACH_DRV(driver, bus) {
		if (driver->driver.name == NULL || strcmp(driver->driver.name, "mlx5_pci") != 0)
			continue;
		rte_pci_unregister(driver);
		rte_pci_register(driver);
		return;
	}
}
#endif

RTE_INIT(mlx5hws_pci_init)
{
	if (!mlx5hws_release_matches())
		return;
	rte_pci_register(&pci_driver);
	ask_us_before_mlx5();
}

MLX5HWS_PMD_EXPORT_NAME(net_mlx5hws);
